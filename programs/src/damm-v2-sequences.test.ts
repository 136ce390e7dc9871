import { runMigration } from './damm-v2-sequences.js';
import { describeSequences } from './sequences-testing.js';

describeSequences('migrations of the stand-ins, and trades after them', 'damm-v2', runMigration);
