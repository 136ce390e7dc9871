import { plainError } from '../../errors/index.js';
import type { Area } from '../area.js';
import { registerStatus } from './status.js';
import { registerSubmitTransaction } from './submit.js';

export type { SubmitDeps } from './deps.js';

export const submitArea: Area = {
  name: 'submit',
  tag: 'Transaction submit',
  about: 'Landing of signed transactions',
  errorShape: plainError,
  register(server, { config, store, landing }) {
    const deps = { store, landing, ...config.submit };
    registerSubmitTransaction(server, deps);
    registerStatus(server, deps);
  },
};
