import type { WebSocket } from 'ws';
import { answer } from './rpc/envelope.js';
import type { Subscriptions } from './rpc/subscriptions.js';
import type { UnreadNews } from './unread-news.js';

/** Answers the requests of one WebSocket. What a subscription brings waits until the answer with its id is out. */
export function serveSocket(
  client: WebSocket,
  subscriptions: Pick<Subscriptions, 'connect'>,
  unread: UnreadNews,
): void {
  let answering = 0;
  let held: string[] = [];
  let heldLength = 0;
  const receiver = {
    unsent: () => client.bufferedAmount + heldLength,
    end: () => {
      connection.close();
      client.terminate();
    },
  };
  const send = (text: string) => {
    if (client.readyState !== client.OPEN) return;
    client.send(text);
    unread.told(receiver, text.length);
  };
  const notify = (text: string) => {
    if (answering === 0) return send(text);
    held.push(text);
    heldLength += text.length;
    unread.told(receiver, text.length);
  };
  const connection = subscriptions.connect(notify, () => client.terminate());
  unread.add(receiver);
  client.on('message', (data) => {
    answering++;
    void answer(data.toString(), connection.call).then((text) => {
      answering--;
      if (text !== undefined) send(text);
      if (answering > 0) return;
      const notifications = held;
      held = [];
      heldLength = 0;
      notifications.forEach(send);
    });
  });
  client.on('close', () => {
    unread.drop(receiver);
    connection.close();
    held = [];
  });
  // It closes the connection by itself, with the code that tells the client why.
  client.on('error', () => {});
}
