import 'reflect-metadata';
import { connect } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JetStreamStrategy, OnEvent, RethrowFilter } from '../src/index.js';
import { decode } from './decode.js';

/** A service in a process of its own: `COUNTERSIGN_FAULTS` says where it dies, the first argument where the broker is. */
@Controller()
class Events {
  @OnEvent('plan.Proposed')
  proposed(): void {
    process.stdout.write('handled\n');
  }
}

class ServiceModule {}
Module({ controllers: [Events] })(ServiceModule);

const connection = await connect({ servers: process.argv[2]!, noAsyncTraces: true });
const quiet = { info() {}, warn() {}, error() {} };
const strategy = new JetStreamStrategy({
  connection, service: 'policy', decode, logger: quiet, instance: `process ${process.pid}`, version: 'test', apiPrefix: '$JS.API', consumes: ['GATE'],
});
const app = await NestFactory.createMicroservice(ServiceModule, { strategy, logger: false });
app.useGlobalFilters(new RethrowFilter());
await app.listen();
process.stdout.write('ready\n');
