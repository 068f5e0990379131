package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// An edit puts statements of ours at one place of the library. The place is
// found by the identifiers that it uses; anything but exactly one match is an
// error, because the source is then not the one that the edit was written for.
type edit struct {
	file     string // of the module
	function string // "name" or "Receiver.name"
	place    string // what is looked for, in words
	match    func(ast.Stmt) bool
	where    position
	code     string // statements of ours
}

type position int

const (
	before position = iota
	after
	instead
)

// A misfit says which file lacks which construct.
type misfit struct {
	file, function, place string
	found                 int
}

func (m misfit) Error() string {
	return fmt.Sprintf("memberlist source: %s: expected exactly one %s in %s, found %d; the edits are written for %s, so pin that version or revise places.go",
		m.file, m.place, m.function, m.found, libraryVersion)
}

// rewriteFile applies the edits of one file in place.
//
// Comments are left out of the rewritten file: go/printer places comments by
// position, and inserted nodes have none. The file exists only in the scratch
// folder, and a header there says where it comes from.
func rewriteFile(dir, name string, edits []edit) error {
	path := filepath.Join(dir, name)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("memberlist source: %s: does not parse: %w", name, err)
	}
	for _, e := range edits {
		if err := e.apply(file); err != nil {
			return err
		}
	}
	if name == suspicionFile {
		if err := addWatchField(file); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code rewritten from %s %s for fault experiments; DO NOT EDIT.\n// SPDX-License-Identifier: MPL-2.0\n\n", libraryPath, libraryVersion)
	if err := format.Node(&out, fset, file); err != nil {
		return fmt.Errorf("memberlist source: %s: the rewritten tree does not print: %w", name, err)
	}
	text, err := format.Source(out.Bytes())
	if err != nil {
		return fmt.Errorf("memberlist source: %s: the rewritten text is not Go: %w", name, err)
	}
	return os.WriteFile(path, text, 0o644)
}

func (e edit) apply(file *ast.File) error {
	body, err := findFunction(file, e.file, e.function)
	if err != nil {
		return err
	}
	statements, err := parseStatements(e.code)
	if err != nil {
		return err
	}
	found := 0
	eachBlock(body, func(list []ast.Stmt) []ast.Stmt {
		var next []ast.Stmt
		for _, s := range list {
			if !e.match(s) {
				next = append(next, s)
				continue
			}
			found++
			switch e.where {
			case before:
				next = append(append(next, statements...), s)
			case after:
				next = append(append(next, s), statements...)
			case instead:
				next = append(next, statements...)
			}
		}
		return next
	})
	if found != 1 {
		return misfit{e.file, e.function, e.place, found}
	}
	return nil
}

func findFunction(file *ast.File, name, function string) (*ast.BlockStmt, error) {
	found := []*ast.FuncDecl{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && functionName(f) == function {
			found = append(found, f)
		}
	}
	if len(found) != 1 || found[0].Body == nil {
		return nil, misfit{name, "the file", "function " + function, len(found)}
	}
	return found[0].Body, nil
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	return dotted(t) + "." + f.Name.Name
}

// eachBlock visits every list of statements under root, function literals
// included, and puts what change returns in its place. Lists are changed from
// the inside out, so inserted statements are not visited again.
func eachBlock(root ast.Node, change func([]ast.Stmt) []ast.Stmt) {
	var blocks []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			blocks = append(blocks, n)
		}
		return true
	})
	for i := len(blocks) - 1; i >= 0; i-- {
		switch b := blocks[i].(type) {
		case *ast.BlockStmt:
			b.List = change(b.List)
		case *ast.CaseClause:
			b.Body = change(b.Body)
		case *ast.CommClause:
			b.Body = change(b.Body)
		}
	}
}

func parseStatements(code string) ([]ast.Stmt, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "edit", "package p\nfunc _() {\n"+code+"\n}\n", parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("rewriter: the inserted code does not parse: %w", err)
	}
	return file.Decls[0].(*ast.FuncDecl).Body.List, nil
}
