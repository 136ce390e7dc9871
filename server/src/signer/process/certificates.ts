import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type Server } from 'node:tls';
import { PrivateFileError, readPrivateFile } from '../private-file.js';
import type { Note } from '../socket/server.js';
import type { SignerSettings } from './settings.js';

/** How often the files are looked at. */
export const LOOK_MS = 10_000;

type Files = NonNullable<SignerSettings['tls']>;
type Certificates = Readonly<Record<'cert' | 'key' | 'ca', Buffer>>;

/** @throws Error where one of the files is missing, or the key is open to others. */
export async function readCertificates({ certificate, key, ca }: Files): Promise<Certificates> {
  const secret = await readPrivateFile(key);
  if (secret === undefined) throw new PrivateFileError(`${key} does not exist`);
  return { cert: await readFile(certificate), key: secret, ca: await readFile(ca) };
}

/** What new connections of the server show and ask for from now on. @throws Error where they cannot be used together. */
function use(server: Server, certificates: Certificates): void {
  // Of an authority that cannot be read Node says nothing, and would let nobody in.
  new X509Certificate(certificates.ca);
  const options = { ...certificates, minVersion: 'TLSv1.3' } as const;
  createSecureContext(options);
  server.setSecureContext(options);
}

/** Uses certificates that were renewed, for new connections. While they cannot be used, those from before are, with one warning. */
export function followCertificates(server: Server, files: Files, first: Certificates, note: Note): void {
  let [current, isFailing] = [first, false];
  const look = async (): Promise<void> => {
    try {
      const found = await readCertificates(files);
      if (!isSame(found, current)) {
        use(server, found);
        current = found;
        note('renewed certificates are used', {});
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        note('the certificates cannot be read again: those from before are used', { reason: (error as Error).message });
      isFailing = true;
    }
  };
  const looking = setInterval(() => void look(), LOOK_MS).unref();
  server.once('close', () => clearInterval(looking));
}

const isSame = (one: Certificates, other: Certificates): boolean =>
  (['cert', 'key', 'ca'] as const).every((name) => one[name].equals(other[name]));
