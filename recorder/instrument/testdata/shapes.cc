// A shared library in C++ of which all functions are recorded.
namespace shapes {
template <class T> struct area {
	T of(T a);
};

template <class T> T area<T>::of(T a) { return a * a; }

template struct area<double>;

double both(double a) {
	if (a < 0) throw 1;
	return area<double>().of(a) + 1;
}
} // namespace shapes

extern "C" double from_c(double a) {
	try {
		return shapes::both(a);
	} catch (int) {
		return 0;
	}
}
