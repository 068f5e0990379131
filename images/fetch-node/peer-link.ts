import type { Clock, Timer } from '../../harness/clock/index.ts';
import { FramedSocket } from './framed-socket.ts';
import type { Message } from './messages.ts';
import type { Peer } from './peer-book.ts';
import type { Hello } from './peer-listener.ts';
import type { Transport } from './transport.ts';

type Ask = Extract<Message, { readonly kind: 'sync' | 'verify' | 'fetch' }>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type Question = WithoutId<Ask>;
export type Answer = Extract<
  Message,
  { readonly kind: 'synced' | 'verified' | 'chunk' | 'not-found' | 'error' | 'busy' }
>;

export interface AskCallbacks {
  answered(answer: Answer, payload: Buffer): void;
  lost(reason: string): void;
}

export interface LinkPorts {
  readonly transport: Transport;
  readonly localAddress: string;
  readonly hello: Hello;
  onOpened(): void;
  /** The peer said who it is, as it does when it is greeted. */
  onHello(hello: Hello): void;
  /** @param gone there is nobody to connect to */
  onClosed(reason: string, gone: boolean): void;
}

/** What connecting says of an address that nobody is at. */
const GONE = ['ECONNREFUSED', 'EHOSTUNREACH'];

/** The way to one peer, made when it is first needed and again when it was lost. Answers find their questions by number. */
export class PeerLink {
  readonly #peer: Peer;
  readonly #ports: LinkPorts;
  readonly #questions = new Map<number, AskCallbacks>();
  #framed: FramedSocket | undefined;
  #opened = false;
  /** What is to be sent once the connection stands. */
  #early: Message[] = [];
  #lastId = 0;

  constructor(peer: Peer, ports: LinkPorts) {
    this.#peer = peer;
    this.#ports = ports;
  }

  /** @returns takes the question back: its answer is not waited for any more, which the peer does not hear */
  ask(question: Question, callbacks: AskCallbacks): () => void {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#questions.set(id, callbacks);
    this.#send({ ...question, id } as Message);
    return () => this.#questions.delete(id);
  }

  /** Connects if it is not, with nothing to ask. */
  open(): void {
    if (!this.#framed) this.#connect();
  }

  /** Says good-bye where somebody hears it, and ends. */
  end(): void {
    if (this.#opened) void this.#framed?.send({ kind: 'bye' });
    this.#framed?.finish();
  }

  #send(message: Message): void {
    this.open();
    if (this.#opened) void this.#framed?.send(message);
    else this.#early.push(message);
  }

  #connect(): void {
    const { transport, localAddress, hello } = this.#ports;
    this.#opened = false;
    const socket = transport.connect(this.#peer, localAddress, () => {
      if (this.#framed !== framed) return;
      this.#opened = true;
      void framed.send(hello);
      for (const message of this.#early) void framed.send(message);
      this.#early = [];
      this.#ports.onOpened();
    });
    const framed = new FramedSocket(socket, {
      onMessage: (message, payload) => this.#heard(message, payload),
      onClosed: (reason) => {
        if (this.#framed === framed) this.#lose(reason);
      },
    });
    this.#framed = framed;
  }

  #heard(message: Message, payload: Buffer): void {
    if (message.kind === 'hello') this.#ports.onHello(message);
    if (
      !('id' in message) ||
      message.kind === 'sync' ||
      message.kind === 'verify' ||
      message.kind === 'fetch'
    )
      return;
    const callbacks = this.#questions.get(message.id);
    this.#questions.delete(message.id);
    callbacks?.answered(message, payload);
  }

  #lose(reason: string): void {
    this.#framed = undefined;
    this.#opened = false;
    this.#early = [];
    const lost = [...this.#questions.values()];
    this.#questions.clear();
    for (const { lost: tell } of lost) tell(reason);
    this.#ports.onClosed(reason, GONE.includes(reason));
  }
}

/** A question with a bound on the wait for its answer. @returns undefined when there was none in time */
export function askWithin(
  link: PeerLink,
  question: Question,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const settle = (answer: Answer | undefined): void => {
      timer?.cancel();
      resolve(answer);
    };
    const takeBack = link.ask(question, {
      answered: (answer) => settle(answer),
      lost: () => settle(undefined),
    });
    timer = clock.after(timeoutMs, () => {
      takeBack();
      settle(undefined);
    });
  });
}
