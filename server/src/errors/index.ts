export { AppError, type AppErrorOptions, Outage } from './app-error.js';
export { invalidField, NO_ADDRESS, requireAddress, requireAmount } from './fields.js';
export { RFQ } from './rfq.js';
export { type ErrorShape, errorSchema, gatewayError, pickDetails, plainError, renderError, statusIn } from './shape.js';
export { type ErrorCode, errorTable } from './table.js';
export { describeViolation, describeViolations, type Violation } from './violation.js';
