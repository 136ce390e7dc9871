export { type AdminSessions, createAdminSessions } from './admin-sessions.js';
export { type ConsoleOptions, hasConsole } from './console.js';
export type { Descriptions } from './descriptions.js';
export type { Examples, RecordedCalls } from './examples.js';
export { createKeyLookup } from './key-lookup.js';
export { createMetrics, type Metrics } from './metrics.js';
export { withActualPort } from './openapi.js';
export type { ApiKey, Bucket, KeyLookup, Limiter, LimitState, Readiness, WalletLookup } from './ports.js';
export { createServer, type ServerDeps } from './server.js';
