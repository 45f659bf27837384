/** The engine's suite on a real engine: what it says of view holds there, and so in memory. */
import { viewSuite } from '../../engine-suite/view.ts';
import { bedEngine } from './engine-fixture.ts';

viewSuite(bedEngine());
