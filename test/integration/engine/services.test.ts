/** The engine's suite on a real engine: what it says of services holds there, and so in memory. */
import { servicesSuite } from '../../engine-suite/services.ts';
import { bedEngine } from './engine-fixture.ts';

servicesSuite(bedEngine());
