import { CfnOutput, Duration, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnUserPoolGroup,
  FeaturePlan,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
  UserPoolClientIdentityProvider,
} from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { redirectAt, signInPorts } from '../../lib/api/sign-in.ts';
import type { IssuerSettings } from '../../lib/ports/issuer/settings.ts';
import type { DeploymentSettings } from '../settings.ts';

/** The input of the Identity stack. */
export type IdentityProps = StackProps & { readonly settings: DeploymentSettings };

/**
 * Administrators where no other provider is named: a Cognito user pool without self sign-up, with a group for each
 * scope.
 */
export class Identity extends Stack {
  readonly pool: UserPool;
  /** The pool as the admin function verifies its tokens. */
  readonly issuer: IssuerSettings;

  constructor(scope: Construct, id: string, props: IdentityProps) {
    super(scope, id, props);
    const { groups, deployment, webOrigin } = props.settings;
    this.pool = this.makePool(deployment);
    // The middle of the stack's own id is unique in the region, as a domain's prefix must be, and exists as long as the
    // stack does.
    const prefix = Fn.join('-', ['muster', Fn.select(2, Fn.split('/', this.stackId))]);
    const domain = this.pool.addDomain('Domain', { cognitoDomain: { domainPrefix: prefix } });
    const client = this.makeClient(webOrigin);
    for (const [index, group] of Object.keys(groups).entries())
      new CfnUserPoolGroup(this, `Group${index}`, { userPoolId: this.pool.userPoolId, groupName: group });
    const { userPoolProviderUrl: issuer } = this.pool;
    this.issuer = { issuer, clientId: client.userPoolClientId, groupsClaim: 'cognito:groups', groups, scopes: 'openid profile' };
    new CfnOutput(this, 'UserPoolId', { value: this.pool.userPoolId });
    new CfnOutput(this, 'SignInUrl', { value: domain.baseUrl() });
  }

  private makePool(deployment: string): UserPool {
    return new UserPool(this, 'Administrators', {
      userPoolName: `${deployment} administrators`,
      selfSignUpEnabled: false,
      // Access tokens name users by the name that they were added under.
      signInAliases: { username: true, email: true },
      autoVerify: { email: true },
      // An authenticator app, and no messages to a phone, whose number can be taken over.
      mfa: Mfa.REQUIRED,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 14,
        requireDigits: true,
        requireLowercase: true,
        requireUppercase: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(3),
      },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /**
   * The command line and the page as a client of the pool. Neither can keep a secret, so they prove by PKCE that their
   * code was issued to them.
   */
  private makeClient(webOrigin: string | undefined): UserPoolClient {
    return this.pool.addClient('CommandLine', {
      generateSecret: false,
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.PROFILE],
        // Cognito compares whole addresses, and takes http only for localhost.
        callbackUrls: [...signInPorts.map(redirectAt), ...(webOrigin === undefined ? [] : [`${webOrigin}/session/callback`])],
      },
      supportedIdentityProviders: [UserPoolClientIdentityProvider.COGNITO],
      authFlows: { userSrp: true },
      // A stolen access token is useful for a quarter of an hour; people sign in again after a working day.
      accessTokenValidity: Duration.minutes(15),
      idTokenValidity: Duration.minutes(15),
      refreshTokenValidity: Duration.hours(12),
      refreshTokenRotationGracePeriod: Duration.seconds(60),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
  }
}
