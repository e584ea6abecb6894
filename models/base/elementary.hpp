#pragma once
// Elementary functions whose bits do not depend on the C library or the CPU: only additions, multiplications and
// divisions, in one fixed order. Relative error below 4e-16 over the ranges stated.

namespace models {

double natural_log(double x);          // x > 0, normal
double exponential_of(double x);       // e^x; 0 below -745, infinity above 709.7
double cosine_of_turns(double turns);  // cos(2 pi turns), |turns| < 2^50
double sine_of_turns(double turns);
double power(double base, double exponent);           // base > 0
double whole_power(double base, long long exponent);  // base^exponent by squaring; exponent >= 0

}  // namespace models
