package main

import "golang.org/x/sys/unix"

// capability is one thing the agent needs of its kernel and container.
type capability struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
}

func tried(detail string, err error) capability {
	if err != nil {
		return capability{Reason: err.Error()}
	}
	return capability{OK: true, Detail: detail}
}

// capabilities tries everything in an empty namespace of its own, so that
// what is missing is known before a fault is armed.
func (a *agent) capabilities() map[string]capability {
	found := map[string]capability{}
	form := a.queueForm()
	found["nftTable"] = tried(form.String(), a.formErr)
	try := func(name, detail string, fn func(nsFd int) error) {
		found[name] = tried(detail, inScratchNamespace(fn))
	}
	try("namespaces", "", func(int) error { return nil })
	try("nfqueue", "", func(nsFd int) error {
		q, err := openQueue(nsFd, queueOut, wholePacket)
		if err != nil {
			return err
		}
		defer q.close()
		// The kernel doubles what is asked for, to account for its own overhead.
		if q.bufferBytes < queueBufferBytes {
			return fail("small-buffer", "receive buffer is %d bytes; expected %d (CAP_NET_ADMIN in the host's user namespace)",
				q.bufferBytes, queueBufferBytes)
		}
		queues, err := readKernelQueues()
		if err != nil {
			return err
		}
		if _, bound := queues[queueOut]; !bound {
			return fail("queue-unseen", "the kernel does not list the queue that was bound")
		}
		return nil
	})
	try("nat", "", func(nsFd int) error {
		n := &node{name: "scratch", nsFd: nsFd}
		return n.installRedirects([]redirectRule{
			{DstIP: "198.18.0.1", DstPort: 1, Protocol: "tcp", ToIP: "198.18.0.2", ToPort: 2},
		}, nil)
	})
	try("rawSocket", "", func(nsFd int) error {
		s, err := openRawSender(nsFd)
		if err != nil {
			return err
		}
		return s.close()
	})
	try("udpCounters", "", func(int) error {
		_, err := readUdpCounters()
		return err
	})
	found["hostPids"] = tried("", hostPids())
	return found
}

// hostPids checks that the agent may look at namespaces of the host's processes.
func hostPids() error {
	for _, path := range []string{"/proc/1/ns/net", "/proc/2/ns/net"} {
		var host unix.Stat_t
		if unix.Stat(path, &host) == nil {
			return nil
		}
	}
	return fail("no-host-pids", "the host's network namespace cannot be seen; expected pid=host and SYS_PTRACE")
}
