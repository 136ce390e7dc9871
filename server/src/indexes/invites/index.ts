export { createInviteIndex, type InviteIndex, type InviteIndexDeps, type RebuiltInvites } from './invite-index.js';
export { type OpenInvite, readInvite } from './read-invite.js';
