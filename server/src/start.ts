// What `npm start` runs.
import { runService } from './main.js';

await runService(process.argv.slice(2), 'npm');
