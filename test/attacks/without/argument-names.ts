/**
 * Berth composed with a docker program that is given build arguments whole, where others read them; only a
 * test starts it.
 */
import { start } from '../../../server/src/start.ts';

/** The test has put it there. */
process.env['BERTH_DOCKER_CLI'] = '/usr/local/bin/docker-of-whole-arguments';

await start();
