export { eventCleaningChore } from './cleaning.js';
export { startEventNumbering } from './numbering.js';
export { startWebhooks } from './webhooks.js';
