import { toIdentitySlot } from '../upstream/auth/identity.ts';
import type { Command } from './command.ts';
import { noteSignIn, openTarget, PRINCIPAL_FLAG } from './login.ts';

export const logout: Command = {
  name: 'logout',
  summary: 'forget the tokens for a server',
  words: [['<server>', 'its name in the configuration']],
  options: [PRINCIPAL_FLAG],
  example: 'sallyport logout github',
  async run(input) {
    const { target, owner, credentials } = openTarget(input);
    try {
      const { vault } = credentials.ports;
      await noteSignIn(input, 'ended', { name: target.name, owner });
      const slot = { upstream: target.name, owner, place: undefined };
      const tokens = await vault.remove({ kind: 'tokens', ...slot });
      await vault.remove({ kind: 'challenge', ...slot });
      const forgotten =
        tokens + (target.auth.idp === undefined ? 0 : await vault.remove(toIdentitySlot(target, owner)));
      return {
        value: { server: target.name, owner, forgotten },
        text: forgotten === 0 ? `Nobody was signed in to "${target.name}".` : `Signed out of "${target.name}".`,
      };
    } finally {
      await credentials.close();
    }
  },
};
