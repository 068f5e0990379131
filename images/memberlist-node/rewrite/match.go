package main

import (
	"go/ast"
	"go/token"
)

// dotted writes an identifier or a chain of selectors as text, "" for anything else.
func dotted(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if left := dotted(x.X); left != "" {
			return left + "." + x.Sel.Name
		}
	}
	return ""
}

func isCallOf(e ast.Expr, function string) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && dotted(call.Fun) == function
}

// callOf matches a statement that calls function, whatever the arguments.
func callOf(function string) func(ast.Stmt) bool {
	return func(s ast.Stmt) bool {
		x, ok := s.(*ast.ExprStmt)
		return ok && isCallOf(x.X, function)
	}
}

// deleteFrom matches delete(name, …).
func deleteFrom(name string) func(ast.Stmt) bool {
	return func(s ast.Stmt) bool {
		x, ok := s.(*ast.ExprStmt)
		return ok && isCallOf(x.X, "delete") && len(x.X.(*ast.CallExpr).Args) == 2 && dotted(x.X.(*ast.CallExpr).Args[0]) == name
	}
}

// goOf matches a go statement that calls function.
func goOf(function string) func(ast.Stmt) bool {
	return func(s ast.Stmt) bool {
		g, ok := s.(*ast.GoStmt)
		return ok && isCallOf(g.Call, function)
	}
}

// assignTo matches a single assignment with this left side and token, whose
// right side satisfies value.
func assignTo(left string, tok token.Token, value func(ast.Expr) bool) func(ast.Stmt) bool {
	return func(s ast.Stmt) bool {
		a, ok := s.(*ast.AssignStmt)
		return ok && a.Tok == tok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && dotted(a.Lhs[0]) == left && value(a.Rhs[0])
	}
}

// assignFrom matches an assignment of what function returns, whatever it is assigned to.
func assignFrom(function string) func(ast.Stmt) bool {
	return func(s ast.Stmt) bool {
		a, ok := s.(*ast.AssignStmt)
		return ok && len(a.Rhs) == 1 && isCallOf(a.Rhs[0], function)
	}
}

func anyValue(ast.Expr) bool { return true }

func named(name string) func(ast.Expr) bool {
	return func(e ast.Expr) bool { return dotted(e) == name }
}

func resultOf(function string) func(ast.Expr) bool {
	return func(e ast.Expr) bool { return isCallOf(e, function) }
}

// literalCalling is a function literal whose only statement calls function.
func literalCalling(function string) func(ast.Expr) bool {
	return func(e ast.Expr) bool {
		f, ok := e.(*ast.FuncLit)
		return ok && len(f.Body.List) == 1 && callOf(function)(f.Body.List[0])
	}
}

// indexAssign matches map[…] = value.
func indexAssign(name string, value func(ast.Expr) bool) func(ast.Stmt) bool {
	return func(s ast.Stmt) bool {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			return false
		}
		index, ok := a.Lhs[0].(*ast.IndexExpr)
		return ok && dotted(index.X) == name && value(a.Rhs[0])
	}
}
