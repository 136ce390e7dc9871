export * from './order-engine.js';
export * from './pool.js';
export * from './pool-parser.js';
export * from './program-files.js';
export * from './router.js';
