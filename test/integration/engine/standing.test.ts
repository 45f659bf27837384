/** The engine's suite on a real engine: containers that stand beside all services. */
import { standingSuite } from '../../engine-suite/standing.ts';
import { bedEngine } from './engine-fixture.ts';

standingSuite(bedEngine());
