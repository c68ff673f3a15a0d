import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type Code, Function as LambdaFunction, LoggingFormat, Runtime, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Grant } from '../grants.ts';
import type { FunctionWiring } from '../wiring.ts';

/**
 * How long logs are retained: an incident review needs a month. Longer-lived records are in the history and the audit
 * rows.
 */
export const logRetention = RetentionDays.ONE_MONTH;

/** The parts of a function, apart from its wiring. */
export type WiredFunctionProps = {
  readonly wiring: Pick<FunctionWiring<string>, 'timeoutSeconds' | 'memoryMib'>;
  readonly description: string;
  readonly code: Code;
  readonly environment: Record<string, string>;
  /** The most that run at once, reserved for it from the account's pool; as many as there is room for when absent. */
  readonly reserved?: number;
  /** Its grants, given where its log streams are. */
  readonly grants: (logStreams: string) => readonly Grant<string>[];
};

/** A function of the wiring: its own log group, its own role with exactly its grants, Node.js 24 on arm64. */
export class WiredFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: WiredFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
    const statements = props
      .grants(this.logGroup.logGroupArn)
      .map(
        ({ actions, resources, conditions }) =>
          new PolicyStatement({ actions: [...actions], resources: [...resources], ...(conditions && { conditions }) }),
      );
    // Part of the role, not beside it: Lambda checks the rights that a mapping needs when the mapping is made.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { grants: new PolicyDocument({ statements }) },
    });
    this.function = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: props.code,
      role,
      timeout: Duration.seconds(props.wiring.timeoutSeconds),
      memorySize: props.wiring.memoryMib,
      environment: props.environment,
      ...(props.reserved !== undefined && { reservedConcurrentExecutions: props.reserved }),
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Lambda's own two lines about each run would be half of all log lines. Time, memory and errors of runs are in
      // its metrics.
      systemLogLevelV2: SystemLogLevel.WARN,
    });
  }
}
