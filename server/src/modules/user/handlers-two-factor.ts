import { AppError } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { twoFactorContract } from './contract-two-factor.ts';
import type { Proofs } from './sign-in/proof.ts';
import type { TwoFactorState, TwoFactors } from './two-factor.ts';

export interface TwoFactorDesk {
  twoFactors: TwoFactors;
  proofs: Proofs;
  /** Whether an organization requires a second factor. */
  isRequired(organizationId: string): Promise<boolean>;
}

export function twoFactorHandlers({
  twoFactors,
  proofs,
  isRequired,
}: TwoFactorDesk): Handlers<typeof twoFactorContract, CallContext> {
  const stateFor = async ({
    actor: { userId, organizationId },
  }: CallContext): Promise<TwoFactorState & { required: boolean }> => ({
    ...(await twoFactors.state(userId)),
    required: await isRequired(organizationId),
  });
  /** Password and code of an account that has a second factor. */
  async function prove(
    { actor: { userId }, ip }: CallContext,
    proof: { password: string; code: string },
  ): Promise<void> {
    if (!(await twoFactors.isOn(userId)))
      throw new AppError('PRECONDITION_FAILED', 'This account has no two-factor sign-in.');
    await proofs.byBoth(userId, proof, ip);
  }
  return {
    twoFactor: (context) => stateFor(context),
    async twoFactorSetUp({ actor, ip, write }, { password }) {
      const user = await proofs.byPassword(actor.userId, password, ip);
      return write(() => twoFactors.begin(user));
    },
    async twoFactorConfirm({ actor, write }, { code }) {
      return {
        recoveryCodes: await write(() => twoFactors.confirm(actor.userId, code, actor.sessionId)),
      };
    },
    async twoFactorDisable(context, proof) {
      await prove(context, proof);
      await context.write(() => twoFactors.end(context.actor.userId));
      return stateFor(context);
    },
    async twoFactorNewRecoveryCodes(context, proof) {
      await prove(context, proof);
      return { recoveryCodes: await context.write(() => twoFactors.renewCodes(context.actor.userId)) };
    },
  };
}
