package draw

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// deficiencies turn linear light into what people see who lack one kind of cones; see Machado, Oliveira and Fernandes, A
// physiologically-based model for simulation of color vision deficiency, 2009.
var deficiencies = map[string][3][3]float64{
	"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func linear(c color.RGBA) (v [3]float64) {
	for i, b := range []uint8{c.R, c.G, c.B} {
		if v[i] = float64(b) / 255; v[i] <= 0.04045 {
			v[i] /= 12.92
		} else {
			v[i] = math.Pow((v[i]+0.055)/1.055, 2.4)
		}
	}
	return v
}

// luminance is that of WCAG.
func luminance(c color.RGBA) float64 {
	v := linear(c)
	return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
}

// seen returns what someone sees, in Oklab.
func seen(c color.RGBA, by [3][3]float64) (lab [3]float64) {
	light := linear(c)
	var v [3]float64
	for i := range v {
		for j := range light {
			v[i] += by[i][j] * light[j]
		}
		v[i] = min(max(v[i], 0), 1)
	}
	l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
	m := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
	s := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s, 1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// apart returns how far apart two colours are for the eyes that tell them apart worst. Neighbouring areas differ from 0.02 on.
func apart(a, b color.RGBA) (least float64, who string) {
	least = math.Inf(1)
	for name, by := range deficiencies {
		x, y := seen(a, by), seen(b, by)
		if d := math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2])); d < least {
			least, who = d, name
		}
	}
	return least, who
}

// Colours of activities differ for everyone. So does user code, under any name, from all else.
func TestColoursDiffer(t *testing.T) {
	for a, x := range activityColours {
		for b, y := range activityColours {
			if d, who := apart(x, y); a != b && d < 0.07 {
				t.Errorf("%s and %s are %.3f apart with %s", a, b, d, who)
			}
		}
	}
	names := map[trace.Activity][]string{
		trace.ActivityMPI: {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Allreduce", "MPI_Bcast", "MPI_Barrier", "MPI_Sendrecv"},
		trace.ActivityIO:  {"read", "write", "MPI_File_open"}, trace.ActivityOpenMP: {"!$omp parallel @a.c:3", "!$omp for @a.c:9"},
		trace.ActivityGPU: {"cudaMalloc", "kernel"}, trace.ActivityThreads: {"pthread_join"}, trace.ActivityPGAS: {"shmem_put"},
		trace.ActivityMeasurement: {"BUFFER FLUSH"},
	}
	for i := range 200 {
		user := colourOf(fmt.Sprintf("function_%d", i), trace.ActivityComputation)
		for k, list := range names {
			for _, name := range list {
				if d, who := apart(user, colourOf(name, k)); d < 0.045 {
					t.Errorf("user code %v and %s %v are %.3f apart with %s", user, name, colourOf(name, k), d, who)
				}
			}
		}
	}
	for _, pair := range [][2]string{{"MPI_Send", "MPI_Recv"}, {"MPI_Recv", "MPI_Wait"}, {"MPI_Send", "MPI_Wait"}, {"MPI_Recv", "MPI_Allreduce"}, {"MPI_Init", "MPI_Finalize"}} {
		if d, who := apart(colourOf(pair[0], trace.ActivityMPI), colourOf(pair[1], trace.ActivityMPI)); d < 0.045 {
			t.Errorf("%v are %.3f apart with %s", pair, d, who)
		}
	}
}

// Text has the contrast to paper that WCAG asks for at level AAA, 7 : 1.
func TestContrast(t *testing.T) {
	for _, c := range []color.RGBA{ink, grey} {
		if ratio := (luminance(paper) + 0.05) / (luminance(c) + 0.05); ratio < 7 {
			t.Errorf("%v has a contrast of %.2f", c, ratio)
		}
	}
}
