export {
  createInviteKeeper,
  EXPIRIES_AN_HOUR,
  INVITE_AREA,
  type InviteKeeper,
  type InviteKeeperDeps,
  inviteSettlement,
  startInviteKeeper,
} from './keeper.js';
