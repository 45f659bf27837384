/** Loaded into every process of a measured run: one that is told to end writes down first what it has run. */
import { takeCoverage } from 'node:v8';

process.once('SIGTERM', () => {
  takeCoverage();
  process.exit(0);
});
