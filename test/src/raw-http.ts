import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Service } from './service.js';

/** Sends bytes as they are, and answers everything that came back until the service closed the connection. */
export function sendRaw(service: Service, ...parts: (string | Uint8Array)[]): Promise<string> {
  return exchange(service, parts, () => {});
}

/** As `sendRaw`, of a client that has announced more than it sends: it leaves with the answer. */
export function sendPart(service: Service, ...parts: (string | Uint8Array)[]): Promise<string> {
  return exchange(service, parts, (socket) => socket.destroy());
}

async function exchange(
  service: Service,
  parts: readonly (string | Uint8Array)[],
  onAnswer: (socket: Socket) => void,
): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
    onAnswer(socket);
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
