import { once } from 'node:events';
import { connect } from 'node:net';
import type { Service } from './service.js';

/** Sends bytes as they are, and answers everything that came back until the service closed the connection. */
export async function sendRaw(service: Service, ...parts: (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  // A service that has said all that it has to say may cut off what is still being sent.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  for (const part of parts) {
    if (socket.writable) await new Promise((resolve) => socket.write(part, resolve));
  }
  await closed;
  return received;
}

/** The status of each answer in what `sendRaw` received. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
