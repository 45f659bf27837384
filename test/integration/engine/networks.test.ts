/** The engine's suite on a real engine: what it says of networks holds there, and so in memory. */
import { networksSuite } from '../../engine-suite/networks.ts';
import { bedEngine } from './engine-fixture.ts';

networksSuite(bedEngine());
