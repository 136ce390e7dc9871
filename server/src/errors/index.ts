export { AppError, type AppErrorOptions, Outage } from './app-error.js';
export { requireAddress, requireAmount } from './fields.js';
export { type ErrorShape, renderError, statusIn } from './render.js';
export { RFQ } from './rfq.js';
export { errorSchemaName, errorSchemas } from './schemas.js';
export { type ErrorCode, errorTable } from './table.js';
export { describeViolation, type Violation } from './violation.js';
