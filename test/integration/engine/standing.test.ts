/** The engine's suite on a real engine: containers that stand beside all services. */
import { standingSuite } from '../../engine-suite/standing.ts';
import { ofThisRun } from '../../run/mode.ts';
import { bedEngine } from './engine-fixture.ts';

// In memory all points of breaking off are tried in every run.
standingSuite(bedEngine(), (points) => ofThisRun(points, 5));
