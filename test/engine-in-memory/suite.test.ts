/** The engine in memory is held to what the real one is held to (test/integration/engine-*.test.ts). */
import { afterAll, beforeAll, describe } from 'vitest';
import { endedSuite } from '../engine-suite/ended.ts';
import { execSuite } from '../engine-suite/exec.ts';
import { imagesSuite } from '../engine-suite/images.ts';
import { interactSuite } from '../engine-suite/interact.ts';
import { leavingSuite } from '../engine-suite/leaving.ts';
import { networksSuite } from '../engine-suite/networks.ts';
import { observingSuite } from '../engine-suite/observing.ts';
import { programsSuite } from '../engine-suite/programs.ts';
import { releasesSuite } from '../engine-suite/releases.ts';
import { servicesSuite } from '../engine-suite/services.ts';
import { standingSuite } from '../engine-suite/standing.ts';
import { whoseSuite } from '../engine-suite/whose.ts';
import { tasksSuite } from '../engine-suite/tasks.ts';
import { viewSuite } from '../engine-suite/view.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { memoryFixture } from './suite-fixture.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const fixture = memoryFixture();
describe('ended', () => {
  endedSuite(fixture);
});
describe('exec', () => {
  execSuite(fixture);
});
describe('images', () => {
  imagesSuite(fixture);
});
describe('interact', () => {
  interactSuite(fixture);
});
describe('leaving', () => {
  leavingSuite(fixture);
});
describe('networks', () => {
  networksSuite(fixture);
});
describe('observing', () => {
  observingSuite(fixture);
});
describe('programs', () => {
  programsSuite(fixture);
});
describe('releases', () => {
  releasesSuite(fixture);
});
describe('services', () => {
  servicesSuite(fixture);
});
describe('standing', () => {
  standingSuite(fixture);
});
describe('tasks', () => {
  tasksSuite(fixture);
});
describe('whose', () => {
  whoseSuite(fixture);
});
describe('view', () => {
  viewSuite(fixture);
});
