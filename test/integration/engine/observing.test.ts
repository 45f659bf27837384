/** The engine's suite on a real engine: what its events tell of what runs. */
import { observingSuite } from '../../engine-suite/observing.ts';
import { bedEngine } from './engine-fixture.ts';

observingSuite(bedEngine());
