import type { FastifyInstance } from 'fastify';
import { plainError } from '../errors/index.js';
import { withActualPort } from './openapi.js';

interface Document {
  info: { description?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, { tags?: string[]; summary?: string; description?: string }>>;
}

const RULES = `A flow has three steps: the service crafts an unsigned transaction, the wallet's owner checks and signs it, the
service lands it. The service never sees a key. Amounts are whole numbers of the smallest unit, as text: of SOL
1000000000 are one. Use the client, which checks each transaction before it is signed: @slipway/client, and
@slipway/react for pages. \`slipway mcp\` offers the flows as tools, with limits that its operator sets.`;

/** `/llms.txt`: what the service does and where its operations are, for programs that read. */
export function registerLlms(app: FastifyInstance, publicUrl: string): void {
  let text: string | undefined;
  app.get('/llms.txt', {
    config: { errorShape: plainError, auth: 'none' },
    schema: { hide: true },
    handler: (_request, reply) => {
      text ??= llmsText(app.swagger() as Document, withActualPort(publicUrl, app));
      return reply.header('content-type', 'text/plain; charset=utf-8').send(text);
    },
  });
}

function llmsText({ info, tags = [], paths = {} }: Document, url: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
  );
  const sections = tags.flatMap(({ name, description }) => {
    const own = operations.filter((operation) => operation.tags?.includes(name));
    const lines = own.map((each) => `- \`${each.name}\`: ${each.summary}. ${oneLine(each.description)}`);
    return own.length === 0 ? [] : [`## ${name}\n\n${description}\n\n${lines.join('\n')}`];
  });
  const links = [
    `- [API document](${url}/openapi.json): OpenAPI 3.1 with every parameter, field, error and example`,
    `- [Documentation](${url}/docs): the same for people`,
  ];
  const head = `# Slipway\n\n> ${info.description}\n\n${RULES}\n\n## Documents\n\n${links.join('\n')}`;
  return `${[head, ...sections].join('\n\n')}\n`;
}

const oneLine = (text = ''): string => text.replaceAll(/\s+/g, ' ');
