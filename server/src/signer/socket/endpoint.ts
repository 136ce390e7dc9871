import { readFile } from 'node:fs/promises';
import { connect as connectSocket, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { isForAll } from '../../lib/open-folder.js';
import { PrivateFileError, readPrivateFile } from '../private-file.js';

/** What shows the signer who this is, and this service that it is the signer, as PEM. */
export interface Credentials {
  readonly certificate: string | Buffer;
  readonly key: string | Buffer;
  /** Of whoever has signed the signer's certificate. */
  readonly ca: string | Buffer;
}

/** Where a signer listens. */
export type Endpoint = { readonly path: string } | ({ readonly host: string; readonly port: number } & Credentials);

/** Where a signer listens, as the service's settings say. */
export interface SignerAddress {
  /** `unix:<path>` or `tls://<host>:<port>`. */
  readonly url: string;
  /** Paths of PEM files, with TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly ca: string };
}

/** @throws PrivateFileError where the key of the certificate is missing, or open to others, or the folder of the socket is. */
export async function endpointOf({ url, tls }: SignerAddress): Promise<Endpoint> {
  if (tls === undefined) {
    const path = url.slice('unix:'.length);
    // Whoever takes the signer's place there would be told secrets, and what wallets have signed.
    if (isForAll(dirname(path)))
      throw new PrivateFileError(
        `everybody may put a socket in the folder of ${path}: name one in a folder of its own`,
      );
    return { path };
  }
  const { hostname, port } = new URL(url);
  const key = await readPrivateFile(tls.key);
  if (key === undefined) throw new PrivateFileError(`${tls.key} does not exist`);
  const [certificate, ca] = await Promise.all([readFile(tls.certificate), readFile(tls.ca)]);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), certificate, key, ca };
}

/** Opens a connection; `ready` is called once whoever answers there is known. */
export function openConnection(endpoint: Endpoint, ready: () => void): Socket {
  if ('path' in endpoint) return connectSocket({ path: endpoint.path }, ready);
  const { host, port, certificate, key, ca } = endpoint;
  // Whatever the environment says about others' certificates: whoever is in the signer's place is told secrets.
  const always = { rejectUnauthorized: true, minVersion: 'TLSv1.3' } as const;
  const socket = connectTls({ host, port, cert: certificate, key, ca, ...always }, ready);
  socket.setNoDelay(true);
  return socket;
}
