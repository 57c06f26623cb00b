package chart

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// pdfPage is a vg.Canvas of one page of PDF. Its text is text, which can be searched, copied and edited: the page carries the
// glyphs of Liberation Sans that it uses. The canvas of gonum/plot knows one code page, in regular weight.
type pdfPage struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	pen           pen
	pushed        []pen
}

// pen is what Push saves.
type pen struct {
	to     affine // the page
	line   vg.Length
	dashes []float64 // lengths of dashes and gaps in points
	offset float64   // into the dashes
	color  color.Color
}

// affine maps (x, y) to (xx·x + xy·y + x0, yx·x + yy·y + y0), in points above and right of the lower left corner of the page.
type affine struct{ xx, xy, yx, yy, x0, y0 float64 }

// with returns the map that does the other one first.
func (a affine) with(b affine) affine {
	return affine{a.xx*b.xx + a.xy*b.yx, a.xx*b.xy + a.xy*b.yy, a.yx*b.xx + a.yy*b.yx, a.yx*b.xy + a.yy*b.yy,
		a.xx*b.x0 + a.xy*b.y0 + a.x0, a.yx*b.x0 + a.yy*b.y0 + a.y0}
}

const fontFamily = "liberation"

// newPDF returns an empty page.
func newPDF(width, height vg.Length) *pdfPage {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})
	then := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // a figure is a function of its data
	doc.SetCreationDate(then)
	doc.SetModificationDate(then)
	doc.SetCatalogSort(true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddUTF8FontFromBytes(fontFamily, "", liberationsansregular.TTF)
	doc.AddUTF8FontFromBytes(fontFamily, "B", liberationsansbold.TTF)
	doc.AddPage()
	return &pdfPage{doc: doc, width: width, height: height, pen: pen{to: affine{xx: 1, yy: 1}, line: 1, color: color.Black}}
}

// Size returns the width and the height of the page.
func (p *pdfPage) Size() (width, height vg.Length) { return p.width, p.height }

// SetLineWidth sets the width of lines.
func (p *pdfPage) SetLineWidth(w vg.Length) { p.pen.line = w }

// SetLineDash sets the dashes of lines.
func (p *pdfPage) SetLineDash(pattern []vg.Length, offset vg.Length) {
	p.pen.dashes, p.pen.offset = make([]float64, len(pattern)), offset.Points()
	for i, d := range pattern {
		p.pen.dashes[i] = d.Points()
	}
}

// SetColor sets the colour of lines, areas and text.
func (p *pdfPage) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	p.pen.color = c
}

// Rotate turns what is drawn from now on, counter-clockwise by an angle in radians.
func (p *pdfPage) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	p.pen.to = p.pen.to.with(affine{xx: cos, xy: -sin, yx: sin, yy: cos})
}

// Translate moves the origin to a point.
func (p *pdfPage) Translate(to vg.Point) {
	p.pen.to = p.pen.to.with(affine{xx: 1, yy: 1, x0: to.X.Points(), y0: to.Y.Points()})
}

// Scale scales what is drawn from now on.
func (p *pdfPage) Scale(x, y float64) { p.pen.to = p.pen.to.with(affine{xx: x, yy: y}) }

// Push saves the pen.
func (p *pdfPage) Push() { p.pushed = append(p.pushed, p.pen) }

// Pop restores the pen that was saved last.
func (p *pdfPage) Pop() {
	last := len(p.pushed) - 1
	p.pen, p.pushed = p.pushed[last], p.pushed[:last]
}

// at returns where a point lies on the page, in points right of and below its upper left corner.
func (p *pdfPage) at(v vg.Point) (x, y float64) {
	a := p.pen.to
	return a.xx*v.X.Points() + a.xy*v.Y.Points() + a.x0, p.height.Points() - (a.yx*v.X.Points() + a.yy*v.Y.Points() + a.y0)
}

// setColors gives the document the colour of the pen.
func (p *pdfPage) setColors() {
	c := color.NRGBAModel.Convert(p.pen.color).(color.NRGBA)
	r, g, b := int(c.R), int(c.G), int(c.B)
	p.doc.SetDrawColor(r, g, b)
	p.doc.SetFillColor(r, g, b)
	p.doc.SetTextColor(r, g, b)
	p.doc.SetAlpha(float64(c.A)/255, "Normal")
}

// Stroke draws the lines of a path.
func (p *pdfPage) Stroke(path vg.Path) {
	if p.pen.line <= 0 {
		return
	}
	p.setColors()
	a := p.pen.to
	p.doc.SetLineWidth(p.pen.line.Points() * math.Sqrt(math.Abs(a.xx*a.yy-a.xy*a.yx)))
	p.doc.SetDashPattern(p.pen.dashes, p.pen.offset)
	p.follow(path)
	p.doc.DrawPath("D")
}

// Fill fills a path.
func (p *pdfPage) Fill(path vg.Path) {
	p.setColors()
	p.follow(path)
	p.doc.DrawPath("F")
}

// follow gives the document the path.
func (p *pdfPage) follow(path vg.Path) {
	for _, c := range path {
		switch x, y := p.at(c.Pos); {
		case c.Type == vg.MoveComp:
			p.doc.MoveTo(x, y)
		case c.Type == vg.LineComp:
			p.doc.LineTo(x, y)
		case c.Type == vg.ArcComp:
			p.arc(&c)
		case c.Type == vg.CurveComp && len(c.Control) == 1:
			x1, y1 := p.at(c.Control[0])
			p.doc.CurveTo(x1, y1, x, y)
		case c.Type == vg.CurveComp && len(c.Control) == 2:
			x1, y1 := p.at(c.Control[0])
			x2, y2 := p.at(c.Control[1])
			p.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
		case c.Type == vg.CloseComp:
			p.doc.ClosePath()
		}
	}
}

// arc gives the document a line to the beginning of an arc, and the arc as cubic curves of at most a right angle. The control
// points of a curve of angle θ lie 4/3·tan(θ/4) radii away from its ends, along the tangents.
func (p *pdfPage) arc(c *vg.PathComp) {
	point := func(angle, along float64) (x, y float64) { // on the circle, and so many radii along the tangent
		sin, cos := math.Sincos(angle)
		return p.at(vg.Point{X: c.Pos.X + c.Radius*vg.Length(cos-along*sin), Y: c.Pos.Y + c.Radius*vg.Length(sin+along*cos)})
	}
	p.doc.LineTo(point(c.Start, 0))
	n := math.Max(1, math.Ceil(math.Abs(c.Angle)/(math.Pi/2)))
	step := c.Angle / n
	along := 4. / 3 * math.Tan(step/4)
	for i := range int(n) {
		from := c.Start + float64(i)*step
		x1, y1 := point(from, along)
		x2, y2 := point(from+step, -along)
		x, y := point(from+step, 0)
		p.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
	}
}

// FillString writes text from a point on its base line on.
func (p *pdfPage) FillString(face font.Face, from vg.Point, text string) {
	if face.Font.Size <= 0 {
		return
	}
	weight := ""
	if face.Font.Weight > stdfont.WeightNormal {
		weight = "B"
	}
	p.setColors()
	p.doc.SetFont(fontFamily, weight, face.Font.Size.Points())
	x, y := p.at(from)
	p.doc.TransformBegin()
	p.doc.TransformRotate(math.Atan2(p.pen.to.yx, p.pen.to.xx)*180/math.Pi, x, y)
	p.doc.Text(x, y, output.Line(text))
	p.doc.TransformEnd()
}

// DrawImage is an error: figures are made of lines, areas and text.
func (p *pdfPage) DrawImage(vg.Rectangle, image.Image) {
	p.doc.SetErrorf("chart: a figure has an image, which its PDF cannot show")
}

// WriteTo writes the document.
func (p *pdfPage) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
