package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Further addresses.
//
// A fleet of clients inside one container has an address for each of them.
// Nothing in the container may add addresses, and the engine gives it one; so
// the agent does it, from the node's namespace. They lie in the subnet of an
// address that the node has and vanish with the namespace.

// addAddresses gives the node these addresses too. One that it has already is
// no error, so that a node may be enrolled again.
func (n *node) addAddresses(list []string) error {
	wanted, err := parseAddresses(n.name, list)
	if err != nil || len(wanted) == 0 {
		return err
	}
	links, err := n.subnets()
	if err != nil {
		return err
	}
	return n.withNamespace(func(nsFd int) error {
		conn, err := netlink.Dial(unix.NETLINK_ROUTE, &netlink.Config{NetNS: nsFd})
		if err != nil {
			return fail("address-refused", "node %s: %v", n.name, err)
		}
		defer conn.Close()
		for _, ip := range wanted {
			link := slices.IndexFunc(links, func(s subnet) bool { return s.prefix.Contains(ip) })
			if link < 0 {
				return fail("bad-address", "node %s: %s is in none of its subnets", n.name, ip)
			}
			if err := addAddress(conn, links[link], ip); err != nil {
				return fail("address-refused", "node %s: %s: %v", n.name, ip, err)
			}
			full := netip.PrefixFrom(ip, links[link].prefix.Bits())
			if !slices.Contains(n.addresses, full) {
				n.addresses = append(n.addresses, full)
			}
		}
		return nil
	})
}

func parseAddresses(node string, list []string) ([]netip.Addr, error) {
	parsed := make([]netip.Addr, 0, len(list))
	for _, text := range list {
		ip, err := netip.ParseAddr(text)
		if err != nil || !ip.Is4() || !ip.IsGlobalUnicast() {
			return nil, fail("bad-address", "node %s: %q; expected an IPv4 address of the bed", node, text)
		}
		parsed = append(parsed, ip)
	}
	return parsed, nil
}

// subnet is what one interface of a node reaches directly.
type subnet struct {
	index  int
	prefix netip.Prefix
}

func (n *node) subnets() (list []subnet, err error) {
	err = n.inside(func() error {
		interfaces, err := net.Interfaces()
		if err != nil {
			return err
		}
		for _, i := range interfaces {
			if i.Flags&net.FlagLoopback != 0 {
				continue
			}
			addresses, err := i.Addrs()
			if err != nil {
				return err
			}
			for _, a := range addresses {
				if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() {
					list = append(list, subnet{i.Index, prefix.Masked()})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("node %s: read subnets: %w", n.name, err)
	}
	return list, nil
}

// addAddress sends RTM_NEWADDR: struct ifaddrmsg, then the address twice, as
// the peer's and as our own, which for a shared medium are the same.
func addAddress(conn *netlink.Conn, s subnet, ip netip.Addr) error {
	attributes, err := netlink.MarshalAttributes([]netlink.Attribute{
		{Type: unix.IFA_LOCAL, Data: ip.AsSlice()},
		{Type: unix.IFA_ADDRESS, Data: ip.AsSlice()},
	})
	if err != nil {
		return err
	}
	head := make([]byte, unix.SizeofIfAddrmsg)
	head[0] = unix.AF_INET
	head[1] = uint8(s.prefix.Bits())
	head[3] = unix.RT_SCOPE_UNIVERSE
	binary.NativeEndian.PutUint32(head[4:], uint32(s.index))
	_, err = conn.Execute(netlink.Message{
		Header: netlink.Header{
			Type:  unix.RTM_NEWADDR,
			Flags: netlink.Request | netlink.Acknowledge | netlink.Create | netlink.Excl,
		},
		Data: append(head, attributes...),
	})
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}
