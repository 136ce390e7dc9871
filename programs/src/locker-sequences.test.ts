import { runLock } from './locker-sequences.js';
import { describeSequences } from './sequences-testing.js';

describeSequences('locks of the stand-in, and claims of them', 'locker', runLock);
