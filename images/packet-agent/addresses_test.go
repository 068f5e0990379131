package main

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"
)

func enrollWith(n *testNode, addresses ...string) map[string]any {
	return map[string]any{"nodes": []any{
		map[string]any{"name": n.name, "pid": n.pid(), "addresses": addresses},
	}}
}

func TestANodeGetsFurtherAddressesAndOthersReachItThere(t *testing.T) {
	b := newBed(t, 2)
	own, peer := b.nodes[0], b.nodes[1]
	c := startAgent(t)
	fleet := []string{"198.18.201.10", "198.18.202.10", "198.18.202.11"}
	answer := c.ask("enroll", enrollWith(own, fleet...))
	var nodes []enrolled
	if err := answer.read("nodes", &nodes); err != nil {
		t.Fatal(err)
	}
	if nodes[0].IP != own.ip {
		t.Errorf("its first address is %s; expected its own, %s", nodes[0].IP, own.ip)
	}
	for _, ip := range fleet {
		if !slices.Contains(nodes[0].IPs, ip) {
			t.Errorf("the answer has the addresses %v; expected %s among them", nodes[0].IPs, ip)
		}
		// A server at the further address, and a client that speaks from it.
		server := own.udpOn(t, ip)
		client := peer.udp(t, 0)
		if _, err := client.WriteTo([]byte("to "+ip), server.LocalAddr()); err != nil {
			t.Fatalf("send to %s: %v", ip, err)
		}
		text, from := receive(t, server)
		if text != "to "+ip {
			t.Errorf("%s received %q", ip, text)
		}
		if _, err := server.WriteTo([]byte("back"), from); err != nil {
			t.Fatalf("answer from %s: %v", ip, err)
		}
		if _, from := receive(t, client); from.(*net.UDPAddr).IP.String() != ip {
			t.Errorf("the answer came from %v; expected %s", from, ip)
		}
	}
}

func receive(t testing.TB, conn *net.UDPConn) (string, net.Addr) {
	t.Helper()
	buffer := make([]byte, 1500)
	if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	size, from, err := conn.ReadFrom(buffer)
	if err != nil {
		t.Fatalf("receive at %v: %v", conn.LocalAddr(), err)
	}
	return string(buffer[:size]), from
}

func TestEnrollingAgainWithTheSameAddressesIsNoError(t *testing.T) {
	b := newBed(t, 1)
	c := startAgent(t)
	for range 2 {
		c.ask("enroll", enrollWith(b.nodes[0], "198.18.201.10"))
	}
	count := 0
	b.nodes[0].inside(t, func() error {
		addresses, err := net.InterfaceAddrs()
		for _, address := range addresses {
			if address.String() == "198.18.201.10/22" {
				count++
			}
		}
		return err
	})
	if count != 1 {
		t.Errorf("the address is there %d times; expected once", count)
	}
}

func TestAddressesOutsideANodesSubnetsAreRefused(t *testing.T) {
	b := newBed(t, 1)
	c := startAgent(t)
	for _, address := range []string{"198.19.0.1", "fe80::1", "127.0.0.1", "nowhere"} {
		if code := c.refused("enroll", enrollWith(b.nodes[0], address)); code != "bad-address" {
			t.Errorf("%s: refused with %s; expected bad-address", address, code)
		}
	}
	// What was refused left nothing behind: the node can be enrolled without.
	c.enroll(b.nodes[0])
}

func TestAHoldTakesHoldOfTheFurtherAddressesToo(t *testing.T) {
	b := newBed(t, 2)
	own, peer := b.nodes[0], b.nodes[1]
	c := startAgent(t)
	c.ask("enroll", enrollWith(own, "198.18.201.10"))
	server := own.udpOn(t, "198.18.201.10")
	client := peer.udp(t, 0)
	c.arm(faultOn("h", "hold", nil, own))
	c.apply("h")
	for i := range 3 {
		if _, err := client.WriteTo(fmt.Appendf(nil, "%d", i), server.LocalAddr()); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 5*time.Second, "three packets are held", func() bool { return c.witness("h", own).HeldIn == 3 })
	c.lift("h")
	for i := range 3 {
		if text, _ := receive(t, server); text != fmt.Sprint(i) {
			t.Errorf("received %q; expected %d", text, i)
		}
	}
}
