import { join } from 'node:path';
import type { Config } from './config.js';

/** The paths in the data folder. */
export function dataFolder({ dataDir }: Pick<Config, 'dataDir'>) {
  return {
    /** There once production has run here: what lies here is never reset, in whatever mode somebody starts. */
    production: join(dataDir, 'production'),
    /** The embedded chain. */
    chain: join(dataDir, 'chain'),
    /** The embedded database. */
    database: join(dataDir, 'database'),
    /** Uploads, where no bucket is configured. */
    objects: join(dataDir, 'objects'),
    /** The secret that signs the URLs for uploads. */
    objectsSecret: join(dataDir, 'objects.secret'),
    /** The admin token, where none is configured. */
    adminToken: join(dataDir, 'admin.token'),
    /** The API key of a public sandbox. */
    sandboxKey: join(dataDir, 'sandbox.key'),
    /** The seed of the service's keys, where no other file is configured. */
    signer: join(dataDir, 'signer.json'),
    /** The passphrase of the sandbox's signer file, where none is configured. */
    signerPassphrase: join(dataDir, 'signer.pass'),
  };
}
