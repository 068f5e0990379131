// Rewrite makes the memberlist node: it copies the library from the module
// cache to a scratch folder, changes its syntax tree there so that switches
// choose the behaviour at run time, and builds the node against the copy.
//
//	go run ./rewrite build --out BINARY    one static binary; the scratch folder is removed
//	go run ./rewrite test                  the library's own suspicion and awareness tests, ours beside them, and the node's
//	go run ./rewrite source --out FOLDER   only the scratch folder: memberlist/ and node/
//
// Nothing of the library is kept in this repository. The rewriter stops with
// the file and the construct that it missed when the source is not the one that
// its edits were written for.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// The node compiles in two ways; this tag takes the one for the rewritten library.
const buildTag = "rewritten"

// ownerFile tells whose scratch folder one is that was left behind.
const ownerFile = "pid"

const usage = "usage: rewrite build --out BINARY | rewrite test | rewrite source --out FOLDER   [--node FOLDER]"

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rewrite:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no command; %s", usage)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	out := flags.String("out", "", "where the result goes")
	node := flags.String("node", "node", "folder of the node's source")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected %q; %s", flags.Arg(0), usage)
	}
	switch args[0] {
	case "build":
		if *out == "" {
			return fmt.Errorf("build: --out is missing; %s", usage)
		}
		return build(*node, *out)
	case "test":
		return test(*node)
	case "source":
		if *out == "" {
			return fmt.Errorf("source: --out is missing; %s", usage)
		}
		_, err := prepare(*out, *node)
		return err
	}
	return fmt.Errorf("unknown command %q; %s", args[0], usage)
}

// build makes one static binary. The same source gives the same bytes: paths
// are trimmed and the replacement is relative.
func build(nodeDir, out string) error {
	target, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	return inScratch(nodeDir, func(s scratch) error {
		return run(s.node(), "go", "build", "-tags="+buildTag, "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", target, ".")
	})
}

func test(nodeDir string) error {
	return inScratch(nodeDir, func(s scratch) error {
		image := filepath.Join(filepath.Dir(filepath.Clean(nodeDir)), "image.json") // the node's tests compare it
		if err := copyFile(image, filepath.Join(s.dir, "image.json")); err != nil {
			return err
		}
		if err := run(s.library(), "go", "vet", "."); err != nil {
			return err
		}
		if err := run(s.library(), "go", "test", "-count=1", "-timeout=5m", "-run", "^TestSquall_", "."); err != nil {
			return err
		}
		return run(s.node(), "go", "test", "-tags="+buildTag, "-count=1", "./...")
	})
}

func inScratch(nodeDir string, use func(scratch) error) (err error) {
	dir, err := os.MkdirTemp("", "squall-memberlist-")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}()
	if err := os.WriteFile(filepath.Join(dir, ownerFile), fmt.Append(nil, os.Getpid()), 0o644); err != nil {
		return err
	}
	s, err := prepare(filepath.Join(dir, "source"), nodeDir)
	if err != nil {
		return err
	}
	return use(s)
}
