package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed _added/*.go
var added embed.FS

// A scratch folder holds the rewritten library in memberlist/ and a copy of the
// node in node/ whose go.mod points to it.
type scratch struct{ dir string }

func (s scratch) library() string { return filepath.Join(s.dir, "memberlist") }
func (s scratch) node() string    { return filepath.Join(s.dir, "node") }

// prepare fills an empty or new folder. nodeDir is the node's source; go.mod and
// go.sum are those of the folder above it.
func prepare(dir, nodeDir string) (scratch, error) {
	s := scratch{dir}
	source, err := moduleSource(filepath.Dir(filepath.Clean(nodeDir)))
	if err != nil {
		return s, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return s, fmt.Errorf("scratch folder %s: is not empty; expected a new folder, so name another", dir)
	}
	if err := copyTree(source, s.library()); err != nil {
		return s, err
	}
	if err := rewriteLibrary(s.library()); err != nil {
		return s, err
	}
	if err := copyTree(nodeDir, s.node()); err != nil {
		return s, err
	}
	above := filepath.Dir(filepath.Clean(nodeDir))
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyFile(filepath.Join(above, name), filepath.Join(s.node(), name)); err != nil {
			return s, err
		}
	}
	if err := run(s.node(), "go", "mod", "edit", "-replace", libraryPath+"=../memberlist"); err != nil {
		return s, err
	}
	return s, nil
}

// moduleSource finds the library in the module cache, downloading and checking
// it against go.sum first.
func moduleSource(moduleDir string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", libraryPath)
	cmd.Dir = moduleDir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var module struct{ Version, Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil {
		return "", errors.Join(fmt.Errorf("go mod download: no answer for %s", libraryPath), err, jsonErr)
	}
	if module.Error != "" || err != nil {
		return "", errors.Join(fmt.Errorf("go mod download: %s: %s", libraryPath, module.Error), err)
	}
	if module.Version != libraryVersion {
		return "", fmt.Errorf("go.mod: asks for %s %s; the edits are written for %s", libraryPath, module.Version, libraryVersion)
	}
	return module.Dir, nil
}

// rewriteLibrary changes a copy of the library in place.
func rewriteLibrary(dir string) error {
	byFile := map[string][]edit{}
	for _, e := range places {
		byFile[e.file] = append(byFile[e.file], e)
	}
	for name, edits := range byFile {
		if err := rewriteFile(dir, name, edits); err != nil {
			return err
		}
	}
	return fs.WalkDir(added, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := added.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644)
	})
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func run(dir string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
