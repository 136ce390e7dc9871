import { runSequence } from './bonding-curve-sequences.js';
import { describeSequences } from './sequences-testing.js';

describeSequences('launches and trades of the stand-in', 'bonding-curve', runSequence);
