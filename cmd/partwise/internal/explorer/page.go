package explorer

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
)

//go:generate go run generate.go

// The files of the page.
var (
	//go:embed web/page.html
	page string
	//go:embed web/style.css
	style string
	//go:embed web/charts.js
	charts string
	//go:embed web/explorer.js
	explorer string
	//go:embed web/worker.js
	worker string
)

// Start is the text of the model from which a page starts that is given none.
//
//go:embed web/start.yaml
var Start string

// Page is a page with the model from which it starts.
type Page struct {
	Title string
	Model string // the text of a model file that names no other files
}

// solver is a program in WebAssembly, compressed by gzip, with the script that runs it.
type solver struct {
	compressed []byte
	script     string
}

// built is the solver that is part of the program, or that was compiled; nil: none yet.
var built *solver

// Write writes the page. The error is [ErrNoSolver], where [Prepare] was not called, or that of w.
func (p *Page) Write(w io.Writer) error {
	if built == nil {
		return ErrNoSolver
	}
	return p.write(w, built)
}

// data is what the script of the page reads.
type data struct {
	Model  string `json:"model"`
	Worker string `json:"worker"` // the script of the worker
	Solver string `json:"solver"` // in base64
}

func (p *Page) write(w io.Writer, s *solver) error {
	page, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	json, err := json.Marshal(data{p.Model, s.script + "\n" + worker,
		base64.StdEncoding.EncodeToString(s.compressed)}) // in which < is escaped
	if err != nil {
		return err
	}
	return page.Execute(w, map[string]any{
		"Title": p.Title, "Style": template.CSS(style), "Data": template.JS(json),
		"Scripts": template.HTML("<script>\n" + charts + explorer + "</script>"),
	})
}
