import { isIP } from 'node:net';

const LOCAL_NAME = /^(?:[a-z0-9-]+\.)*localhost$/;
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;
const ORIGIN = /^https?:\/\/(\[[0-9a-f:]+\]|[^:/@\s]+)(?::[0-9]{1,5})?$/;
/** A wallet in a browser: its user has installed it, and no page can take its name. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\/[0-9A-Za-z-]+$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^:/@\s[\]]+)(?::[0-9]{1,5})?$/;

/** Who may call a server that everybody on this machine may use, and nobody on the web. */
export interface Callers {
  /**
   * Whether a Host header names this server: a name of this machine, any IP address, or one of the given names. Any other
   * name is one that its owner has pointed here, so that a page of his has this server for its own. What is no browser
   * may leave the header out.
   */
  isHere(host: string | undefined): boolean;
  /**
   * Whether an Origin header is that of a page of this machine or of the given names, or of a browser's extension, or left
   * out, as by what is no page.
   */
  mayCall(origin: string | undefined): boolean;
}

/** `names`: further host names of this machine, in lower case. */
export function createCallers(names: readonly string[] = []): Callers {
  const known = new Set(names);
  const isOurs = (name: string) => LOCAL_NAME.test(name) || known.has(name);
  return {
    isHere(host) {
      if (host === undefined) return true;
      const name = HOST.exec(host.toLowerCase())?.[1];
      if (name === undefined) return false;
      return isOurs(name.replace(/\.$/, '')) || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
    },
    mayCall(origin) {
      if (origin === undefined || EXTENSION.test(origin)) return true;
      const name = ORIGIN.exec(origin)?.[1];
      return name !== undefined && (isOurs(name) || LOOPBACK.test(name));
    },
  };
}
