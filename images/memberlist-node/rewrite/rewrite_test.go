package main

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const nodeFolder = "../node"

// libraryCopy is the library as published, in a folder of the test.
func libraryCopy(t *testing.T) string {
	t.Helper()
	source, err := moduleSource("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "memberlist")
	if err := copyTree(source, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheLibrarysOwnTestsPassWithTheSwitchesOffAndOursBesideThem(t *testing.T) {
	if err := test(nodeFolder); err != nil {
		t.Fatal(err)
	}
}

func TestBuildMakesOneStaticBinaryAndTheSameBytesAgain(t *testing.T) {
	folder := t.TempDir()
	var texts [][]byte
	for i := range 2 {
		out := filepath.Join(folder, fmt.Sprint("binary-", i))
		if err := build(nodeFolder, out); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("two builds of the same source differ")
	}
	binary, err := elf.NewFile(bytes.NewReader(texts[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the binary asks for a dynamic linker; expected a static one")
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "squall-memberlist-*")); len(left) > 0 {
		for _, dir := range left {
			if ours(dir) {
				t.Errorf("scratch folder %s is left", dir)
			}
		}
	}
}

// Whoever builds an image may hand over its inputs alone, without tests, prose and image.json.
func TestTheInputsOfTheImageFileAreEnoughToBuild(t *testing.T) {
	text, err := os.ReadFile("../image.json")
	if err != nil {
		t.Fatal(err)
	}
	var image struct {
		Build struct{ Command, Inputs []string }
	}
	if err := json.Unmarshal(text, &image); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, input := range image.Build.Inputs {
		if err := copyTree(filepath.Join("..", input), filepath.Join(folder, input)); err != nil {
			t.Fatal(err)
		}
	}
	tests, err := filepath.Glob(filepath.Join(folder, "*", "*_test.go"))
	if err != nil || len(tests) == 0 {
		t.Fatalf("%d tests, %v", len(tests), err)
	}
	more, err := filepath.Glob(filepath.Join(folder, "*", "*", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(tests, more...) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(folder, "binary")
	words := image.Build.Command
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "{out}", out)
	}
	if err := run(folder, words[0], words[1:]...); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
}

// ours: another build at the same time has a folder of its own, which it still uses.
func ours(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, ownerFile))
	return err == nil && string(text) == fmt.Sprint(os.Getpid())
}

func TestEveryEditNamesTheFileAndTheConstructThatItMisses(t *testing.T) {
	library := libraryCopy(t)
	for _, e := range places {
		t.Run(e.function+" "+e.place, func(t *testing.T) {
			file := parsed(t, library, e.file)
			body, err := findFunction(file, e.file, e.function)
			if err != nil {
				t.Fatal(err)
			}
			removed := 0
			eachBlock(body, func(list []ast.Stmt) []ast.Stmt {
				var kept []ast.Stmt
				for _, s := range list {
					if e.match(s) {
						removed++
						continue
					}
					kept = append(kept, s)
				}
				return kept
			})
			if removed != 1 {
				t.Fatalf("the published source has the construct %d times", removed)
			}
			expectMisfit(t, e.apply(file), misfit{e.file, e.function, e.place, 0})
		})
	}
}

func TestAFunctionOrFieldThatIsNotThereIsNamed(t *testing.T) {
	for _, c := range []struct{ file, old, new, names string }{
		{suspicionFile, "func newSuspicion(", "func makeSuspicion(", "function newSuspicion"},
		{stateFile, ") suspectNode(", ") accuseNode(", "function Memberlist.suspectNode"},
		{awarenessFile, ") ApplyDelta(", ") Apply(", "function awareness.ApplyDelta"},
		{suspicionFile, "type suspicion struct", "type doubt struct", "struct type suspicion"},
	} {
		library := libraryCopy(t)
		path := filepath.Join(library, c.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Replace(text, []byte(c.old), []byte(c.new), 1), 0o644); err != nil {
			t.Fatal(err)
		}
		err = rewriteLibrary(library)
		if err == nil || !strings.Contains(err.Error(), c.file) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s without %q: said %v, expected the file and %q", c.file, c.old, err, c.names)
		}
	}
}

func TestAConstructThatIsThereTwiceIsRefused(t *testing.T) {
	e := places[0]
	file := parsed(t, libraryCopy(t), e.file)
	body, err := findFunction(file, e.file, e.function)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range body.List {
		if e.match(s) {
			body.List = append(body.List, s)
			break
		}
	}
	expectMisfit(t, e.apply(file), misfit{e.file, e.function, e.place, 2})
}

func TestAScratchFolderThatIsInUseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "something"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(dir, nodeFolder); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("said %v, expected a refusal", err)
	}
}

func TestCommandsAndOptionsThatDoNotExistAreRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"bild"}, {"build"}, {"source"}, {"build", "--out", "x", "y"}, {"build", "--output", "x"}} {
		if err := command(args); err == nil {
			t.Errorf("rewrite %v: was accepted", args)
		}
	}
}

// Nothing of the library is kept here: no four lines in a row of its files are in ours.
func TestNoPassageOfTheLibraryIsKeptHere(t *testing.T) {
	const passage = 4
	source, err := moduleSource("..")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	each := func(dir string, use func(path, text string)) {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			lines := telling(t, path)
			for i := 0; i+passage <= len(lines); i++ {
				use(path, strings.Join(lines[i:i+passage], "\n"))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	each(source, func(path, text string) { known[text] = path })
	each("..", func(path, text string) {
		if from, found := known[text]; found {
			t.Errorf("%s has a passage of %s:\n%s", path, filepath.Base(from), text)
		}
	})
}

// telling lines are those long enough to be anybody's own.
func telling(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); len(line) > 12 {
			lines = append(lines, line)
		}
	}
	return lines
}

func parsed(t *testing.T, dir, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func expectMisfit(t *testing.T, err error, expected misfit) {
	t.Helper()
	var got misfit
	if !errors.As(err, &got) || got != expected {
		t.Errorf("said %v, expected %v", err, expected)
	}
}
