/** The engine's suite on a real engine: what it says of exec holds there, and so in memory. */
import { execSuite } from '../../engine-suite/exec.ts';
import { interactSuite } from '../../engine-suite/interact.ts';
import { bedEngine } from './engine-fixture.ts';

const fixture = bedEngine();
execSuite(fixture);
interactSuite(fixture);
