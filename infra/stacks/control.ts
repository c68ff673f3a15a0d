import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { AnyPrincipal, ArnPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Code, type EventSourceMapping, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type IssuerSettings, issuerEnvironment } from '../../lib/ports/issuer/settings.ts';
import {
  carryFromBus,
  carryFromVoucher,
  consumeQueue,
  consumeStream,
  eventful,
  hearBus,
  silent,
  startEvery,
  takeFromRules,
} from '../constructs/sources.ts';
import { WiredFunction } from '../constructs/wired-function.ts';
import { deadLetters, WiredQueue } from '../constructs/wired-queue.ts';
import { type GrantedResources, grantsOf } from '../grants.ts';
import { busNames, type DeploymentSettings, emulatorAccount } from '../settings.ts';
import { reserved } from '../throttles.ts';
import { refuseTooLong, statementsOf } from '../vouchers.ts';
import type { FunctionWiring, Wiring } from '../wiring.ts';
import { type Data, lateObjects } from './data.ts';

/** The input of the Control stack. */
export type ControlProps = StackProps & {
  readonly wiring: Wiring;
  readonly settings: DeploymentSettings;
  readonly data: Data;
  /** The OpenID Connect provider of administrators. */
  readonly issuer: IssuerSettings;
  /** The bundle of the function of that name. */
  readonly code: (name: string) => Code;
};

/**
 * Interprets the wiring: buses, queues with their rules, functions with their sources and exactly their grants, the
 * schedule.
 */
export class Control extends Stack {
  readonly bus: EventBus;
  readonly ingest: EventBus;
  readonly queues: ReadonlyMap<string, WiredQueue>;
  readonly functions: ReadonlyMap<string, WiredFunction>;
  readonly mappingsFromQueues: EventSourceMapping[] = [];
  /** The mappings of functions that read the feed. */
  readonly feeds = new Map<string, EventSourceMapping>();
  /** Messages that EventBridge or Lambda could not deliver. */
  readonly undelivered: Queue;
  private readonly wired: ControlProps;

  constructor(scope: Construct, id: string, props: ControlProps) {
    super(scope, id, props);
    this.wired = props;
    const names = busNames(props.settings.deployment);
    this.bus = new EventBus(this, 'Bus', { eventBusName: names.out });
    this.ingest = new EventBus(this, 'Ingest', { eventBusName: names.ingest });
    this.undelivered = deadLetters(this, 'Undelivered');
    this.queues = this.makeQueues();
    this.functions = this.makeFunctions();
    for (const [name, fn] of Object.entries(props.wiring.functions)) this.connect(name, fn);
    for (const [name, { fromBus }] of Object.entries(props.wiring.queues))
      if (fromBus) {
        const { queue } = this.queueNamed(name);
        carryFromBus(this, `${pascal(name)}FromBus`, { bus: this.ingest, types: fromBus, queue, undelivered: this.undelivered });
      }
    this.letVouch();
    for (const [name, { hears }] of Object.entries(props.wiring.queues))
      if (hears)
        hearBus(this, `${pascal(name)}FromBus`, { bus: this.bus, queue: this.queueNamed(name).queue, undelivered: this.undelivered });
    new CfnOutput(this, 'BusName', { value: this.bus.eventBusName });
    new CfnOutput(this, 'IngestBusName', { value: this.ingest.eventBusName });
  }

  /**
   * A rule for each sender, zone and queue, and the sender's right to put those reports on the bus; none where the
   * deployment names no sender.
   */
  private letVouch(): void {
    const { wiring, settings } = this.wired;
    const carrying = Object.entries(wiring.queues).flatMap(([name, { fromVouchers: types = [] }]) =>
      types.length > 0 ? [{ name, types }] : [],
    );
    if (settings.vouchers.length === 0) return;
    const all = carrying.flatMap(({ types }) => types);
    refuseTooLong(settings.vouchers, all);
    for (const queue of [...carrying.map(({ name }) => this.queueNamed(name).queue), this.undelivered]) takeFromRules(queue, this.ingest);
    for (const voucher of settings.vouchers) {
      const { sender, principal, zones } = voucher;
      for (const { name, types } of carrying)
        for (const zone of zones) {
          const { queue } = this.queueNamed(name);
          // Names as they are: otherwise two names that differ only in a hyphen would collide.
          const id = `Vouches.${name}.${zone}.${sender}`;
          carryFromVoucher(this, id, { bus: this.ingest, voucher: { sender, zone }, types, queue, undelivered: this.undelivered });
        }
      for (const { sid, allows, conditions } of statementsOf(voucher, all))
        this.ingest.addToResourcePolicy(
          new PolicyStatement({
            sid,
            effect: allows ? Effect.ALLOW : Effect.DENY,
            principals: [allows ? new ArnPrincipal(principal) : new AnyPrincipal()],
            actions: ['events:PutEvents'],
            resources: [this.ingest.eventBusArn],
            conditions,
          }),
        );
    }
  }

  private makeQueues(): ReadonlyMap<string, WiredQueue> {
    const { queues, functions } = this.wired.wiring;
    const consumerTimeout = (queue: string): number =>
      Math.max(...Object.values(functions).map((fn) => (fn.queue === queue ? fn.timeoutSeconds : 0)));
    return new Map(Object.entries(queues).map(([name, queue]) => [name, new WiredQueue(this, pascal(name), queue, consumerTimeout(name))]));
  }

  private makeFunctions(): ReadonlyMap<string, WiredFunction> {
    const { wiring, settings } = this.wired;
    const direct = Object.entries(settings.functionUrls ? wiring.direct : {}).map(([name, fn]) => {
      const made = this.makeFunction(name, fn, { reserved: fn.atOnce });
      // Callers do not sign for IAM here: as behind the API, the function verifies them itself.
      const { url } = made.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
      return { name, made, of: fn.of, url };
    });
    const urls = new Map(direct.map(({ of, url }) => [of, url]));
    const own = Object.entries(wiring.functions).map(([name, fn]): [string, WiredFunction] => [
      name,
      this.makeFunction(name, fn, { direct: urls.get(name), reserved: settings.reserve ? reserved[name] : undefined }),
    ]);
    return new Map([...own, ...direct.map(({ name, made }): [string, WiredFunction] => [name, made])]);
  }

  private makeFunction(
    name: string,
    fn: FunctionWiring<string>,
    { direct, reserved: atOnce }: { readonly direct?: string | undefined; readonly reserved?: number | undefined },
  ): WiredFunction {
    return new WiredFunction(this, `${pascal(name)}Function`, {
      wiring: fn,
      description: `Muster: ${name}`,
      code: this.wired.code(name),
      environment: { ...this.environmentOf(fn), ...(direct !== undefined && { MUSTER_DIRECT: direct }) },
      grants: (logStreams) => grantsOf(fn, this.resources(logStreams)),
      ...(atOnce !== undefined && { reserved: atOnce }),
    });
  }

  /** The resources that a function may be granted. */
  private resources(logStreams: string): GrantedResources<string> {
    const { settings, data } = this.wired;
    const { table, key, secretArn, auditSecretArn, originArn, late, objects } = data;
    return {
      table: table.tableArn,
      namesKeys: settings.account !== emulatorAccount,
      index: (name) => `${table.tableArn}/index/${name}`,
      stream: streamOf(this.wired.data),
      queue: (name) => this.queueNamed(name).queue.queueArn,
      bus: this.bus.eventBusArn,
      secret: secretArn,
      auditSecret: auditSecretArn,
      origin: originArn,
      key: key.keyArn,
      undelivered: this.undelivered.queueArn,
      lateBucket: late.bucketArn,
      lateObjects: late.arnForObjects(lateObjects),
      objectsBucket: objects.bucketArn,
      objects: objects.arnForObjects(`${table.tableName}/*`),
      logStreams,
    };
  }

  /** The variables that {@link LambdaEnv} reads. A function gets only those of resources that it may use. */
  private environmentOf(fn: FunctionWiring<string>): Record<string, string> {
    const { settings, data, issuer, wiring } = this.wired;
    const named = new Set([...(fn.sends ?? []), ...(fn.looksInto ?? [])]);
    const queues = Object.fromEntries([...named].map((name) => [name, this.queueNamed(name).queue.queueUrl]));
    return {
      MUSTER_DEPLOYMENT: settings.signedFor ?? settings.deployment,
      MUSTER_TABLE: data.table.tableName,
      MUSTER_BEAT_MIN_MS: String(settings.beatMinMs),
      ...(fn.sends?.includes('heartbeats') && { MUSTER_HEARTBEATS: settings.heartbeats }),
      MUSTER_ADMIT_EVERY_MS: String(settings.admitEveryMs),
      ...(named.size > 0 && { MUSTER_QUEUES: this.toJsonString(queues) }),
      ...(fn.queue && { MUSTER_RECEIVES_MAX: String(wiring.queues[fn.queue]!.receivesMax) }),
      ...(fn.publishes && { MUSTER_BUS: this.bus.eventBusName }),
      ...(fn.signs && { MUSTER_KEYS_SECRET: data.secretArn }),
      ...(fn.audits && { MUSTER_AUDIT_SECRET: data.auditSecretArn }),
      ...(fn.routes && data.originArn && { MUSTER_ORIGIN_SECRET: data.originArn }),
      ...(fn.issuer && issuerEnvironment(issuer)),
      ...(fn.objects && { MUSTER_BUCKET: data.objects.bucketName }),
      ...(fn.everySeconds && fn.queue && { MUSTER_SWEEP_PERIOD_MS: String(fn.everySeconds.aws * 1_000) }),
    };
  }

  private queueNamed(name: string): WiredQueue {
    const queue = this.queues.get(name);
    if (!queue) throw new Error(`the wiring names a queue ${name} that it does not have`);
    return queue;
  }

  /** Connects a function to its queue, feed and schedule; routes are in the Api stack. */
  private connect(name: string, fn: FunctionWiring<string>): void {
    const { function: target } = this.functions.get(name)!;
    if (fn.queue) {
      const { batchMax } = this.wired.wiring.queues[fn.queue]!;
      const { queue } = this.queueNamed(fn.queue);
      const mapping = consumeQueue(this, `${pascal(name)}FromQueue`, { target, queue, batchMax, concurrencyMax: fn.concurrencyMax });
      this.mappingsFromQueues.push(mapping);
    }
    if (fn.feed) {
      const { data } = this.wired;
      const from = { target, streamArn: streamOf(data), lateBucketArn: data.late.bucketArn };
      this.feeds.set(name, consumeStream(this, `${pascal(name)}FromStream`, from, eventful));
      consumeStream(this, `${pascal(name)}FromStreamSilent`, from, silent);
    }
    if (fn.everySeconds) {
      const everySeconds = Math.max(60, fn.everySeconds.aws);
      startEvery(this, `${pascal(name)}Schedule`, { name, target, undelivered: this.undelivered, everySeconds });
    }
  }
}

const pascal = (name: string): string =>
  name
    .split('-')
    .map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`)
    .join('');

const streamOf = ({ table }: Data): string => {
  if (!table.tableStreamArn) throw new Error('the table has no stream, and without one no event leaves');
  return table.tableStreamArn;
};
