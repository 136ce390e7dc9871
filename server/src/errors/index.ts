export { AppError, type AppErrorOptions, Outage } from './app-error.js';
export { requireAddress, requireAmount } from './fields.js';
export { RFQ } from './rfq.js';
export { type ErrorShape, errorSchema, gatewayError, pickDetails, plainError, renderError, statusIn } from './shape.js';
export { type ErrorCode, errorTable } from './table.js';
export { describeViolation, type Violation } from './violation.js';
