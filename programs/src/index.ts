export * from './formats.js';
export * from './invite-code.js';
export * from './program-files.js';
