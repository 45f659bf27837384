/** The engine's suite on a real engine: what it says of programs holds there, and so in memory. */
import { programsSuite } from '../../engine-suite/programs.ts';
import { bedEngine } from './engine-fixture.ts';

programsSuite(bedEngine());
